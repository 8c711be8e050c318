interface Element {
  setAttribute(name: string, value: string): void;
  getAttribute(name: string): string | null;
  closest(selector: string): Element | null;
}

declare const document: {
  readonly body: unknown;
  readonly documentElement: { readonly classList: { toggle(name: string, on: boolean): void } };
  querySelectorAll(selector: string): Iterable<Element>;
};

declare function matchMedia(query: string): {
  readonly matches: boolean;
  addEventListener(type: 'change', listener: () => void): void;
};

declare class MutationObserver {
  constructor(changed: () => void);
  observe(node: unknown, options: { childList: boolean; subtree: boolean }): void;
}

/** Controls that Swagger UI leaves without a name, or with one that nobody would say. */
const names: readonly (readonly [selector: string, name: string | ((control: Element) => string)])[] = [
  ['#servers', 'Server'],
  ['.close-modal', 'Close'],
  ['.modal-btn.authorize', 'Authorize'],
  ['tr[data-param-name] select', (control) => control.closest('tr')?.getAttribute('data-param-name') ?? ''],
  ['textarea.body-param__text', 'Request body'],
  ['.content-type', 'Media type'],
  ['.examples-select-element', 'Example'],
];

/** Names what a screen reader would read as "edit" or "button" alone, whenever Swagger UI draws some of it. */
export function nameControls(): void {
  const nameAll = (): void => {
    for (const [selector, name] of names) {
      for (const control of document.querySelectorAll(selector)) {
        control.setAttribute('aria-label', typeof name === 'string' ? name : name(control));
      }
    }
  };
  new MutationObserver(nameAll).observe(document.body, { childList: true, subtree: true });
}

/** Dark or light, as the reader's system is; Swagger UI has both, and asks for a class to be dark. */
export function followColourScheme(): void {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const follow = (): void => {
    document.documentElement.classList.toggle('dark-mode', dark.matches);
  };
  follow();
  dark.addEventListener('change', follow);
}
