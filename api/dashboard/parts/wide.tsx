/** What may be wider than its page scrolls sideways by itself, also by the keyboard. */
export function Wide({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <section
      aria-label={label}
      style={{ overflowX: 'auto' }}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
      tabIndex={0}
    >
      {children}
    </section>
  );
}
