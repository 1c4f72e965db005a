import './kit.css';
import '@mantine/notifications/styles.css';
import './style.css';
import { ask } from './data/first-questions.ts';
import { OF_OVERVIEW } from './wings/of-overview.ts';
import { WATCHES } from './wings/watches.ts';

// Small, so that it asks while what draws the answers is still loaded and read.
void ask(window.location, { watches: WATCHES, ofOverview: OF_OVERVIEW });
void import('./main.tsx');
