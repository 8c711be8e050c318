/**
 * A request target without the scheme and the authority of an absolute form (RFC 9112 §3.2.2). Express would have
 * `url.parse` find the path: that takes `\` for `/`, and what it cannot read matches no route, or every one.
 */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const path = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '');
  return path === '' || path.startsWith('?') ? `/${path}` : path;
}
