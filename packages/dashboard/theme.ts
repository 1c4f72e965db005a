import { Anchor, createTheme, type MantineColorsTuple, Modal } from '@mantine/core';

/** The one accent; everything else is grey, and a state is icon, word and colour. */
const accent: MantineColorsTuple = [
  '#e9f2fb',
  '#cfe2f5',
  '#a9cbee',
  '#85b7ea',
  '#7ab0e8',
  '#3d86cf',
  '#1f6ebd',
  '#0b5cad',
  '#084b8f',
  '#063a70',
];

export const theme = createTheme({
  colors: { accent },
  primaryColor: 'accent',
  primaryShade: 7,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  fontSizes: { xs: '12px', sm: '14px', md: '14px', lg: '16px', xl: '20px' },
  spacing: { xs: '4px', sm: '8px', md: '16px', lg: '24px', xl: '32px' },
  headings: {
    fontWeight: '600',
    sizes: { h1: { fontSize: '20px' }, h2: { fontSize: '16px' }, h3: { fontSize: '14px' } },
  },
  respectReducedMotion: true,
  defaultRadius: 'sm',
  components: {
    // In a sentence a link must be told from its text without its colour; where it stands alone it says so itself.
    Anchor: Anchor.extend({ defaultProps: { underline: 'always' } }),
    Modal: Modal.extend({ defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } }),
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    // The title of a dialog is no second banner of the page.
    ModalHeader: { defaultProps: { role: 'presentation' } },
    DrawerHeader: { defaultProps: { role: 'presentation' } },
  },
});
