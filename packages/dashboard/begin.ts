import './kit.css';
import '@mantine/notifications/styles.css';
import './style.css';
import { ask } from './data/first-questions.ts';
import { WATCHES } from './wings/watches.ts';

// Small, so that it asks while what draws the answers is still loaded and read.
void ask(window.location, WATCHES);
void import('./main.tsx');
