interface MediaQuery {
  readonly matches: boolean;
  addEventListener(type: 'change', listener: () => void): void;
}

declare function matchMedia(query: string): MediaQuery;
declare const document: {
  readonly documentElement: { readonly classList: { toggle(name: string, on: boolean): void } };
};

/** Dark or light, as the reader's system is; Swagger UI has both, and asks for a class to be dark. */
export function followColourScheme(): void {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const follow = (): void => {
    document.documentElement.classList.toggle('dark-mode', dark.matches);
  };
  follow();
  dark.addEventListener('change', follow);
}
