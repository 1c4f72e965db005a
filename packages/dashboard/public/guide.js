// Beside the text of the guide: buttons that copy code, and a search. Without a script the pages are whole.
(() => {
  const MOST_FOUND = 12;
  // The build makes it.
  const INDEX = '/dashboard/guide-search.js';

  function make(tag, properties) {
    return Object.assign(document.createElement(tag), properties);
  }

  // A page that came over plain HTTP from another machine has no clipboard.
  if (navigator.clipboard)
    for (const block of document.querySelectorAll('main pre')) {
      const button = make('button', { type: 'button', className: 'copy', textContent: 'Copy' });
      button.addEventListener('click', async () => {
        await navigator.clipboard.writeText(block.textContent.trimEnd());
        button.textContent = 'Copied';
        setTimeout(() => {
          button.textContent = 'Copy';
        }, 2_000);
      });
      const box = make('div', { className: 'copyable' });
      block.before(box);
      box.append(button, block);
    }

  const input = make('input', { type: 'search', placeholder: 'Search' });
  input.setAttribute('aria-label', 'Search the guide');
  const found = make('ul', { hidden: true });
  const count = make('p', { className: 'count' });
  count.setAttribute('role', 'status');
  const box = make('search', { className: 'search' });
  box.append(input, count, found);
  document.querySelector('header')?.append(box);

  let parts = null;
  async function readParts() {
    parts ??= import(INDEX).then((file) => file.default);
    return parts;
  }

  /** Headings before text, the order of the pages among each. */
  function search(all, words) {
    const has = (text) => words.every((word) => text.toLowerCase().includes(word));
    const named = all.filter(([, title, heading]) => has(`${title} ${heading}`));
    const told = all.filter((part) => !named.includes(part) && has(part.slice(1).join(' ')));
    return [...named, ...told];
  }

  async function show() {
    const asked = input.value;
    const words = asked.toLowerCase().split(/\s+/).filter(Boolean);
    const hits = words.length === 0 ? [] : search(await readParts(), words);
    // Meanwhile more was typed.
    if (asked !== input.value) return;
    found.replaceChildren(
      ...hits.slice(0, MOST_FOUND).map(([address, title, heading]) => {
        const link = make('a', {
          href: address,
          textContent: heading === title ? title : `${title}: ${heading}`,
        });
        const item = make('li', {});
        item.append(link);
        return item;
      }),
    );
    found.hidden = hits.length === 0;
    const shown = hits.length > MOST_FOUND ? `, the first ${MOST_FOUND} are shown` : '';
    count.textContent = words.length === 0 ? '' : `${hits.length} found${shown}`;
  }

  input.addEventListener('focus', () => void readParts());
  input.addEventListener('input', () => void show());
  box.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    input.value = '';
    void show();
    input.focus();
  });
})();
