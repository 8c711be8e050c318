import { isIPv6 } from 'node:net';

/**
 * The source that failed authentications are counted for: an IPv4 address, or the /64 of an IPv6 address. One host may use
 * all addresses of its /64 (RFC 4291 §2.5.1), so a limit on single ones would limit nothing.
 *
 * @param address of a socket or of X-Forwarded-For. A text that is no IPv6 address is returned unchanged.
 */
export function sourceOf(address: string): string {
  if (!isIPv6(address)) return address;
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = (address.split('%', 1)[0] as string).split('::');
  const front = groupsOf(head);
  const back = tail === undefined ? [] : groupsOf(tail);
  const zeros = Array.from({ length: Math.max(0, 8 - front.length - back.length) }, () => '0');
  const network = [...front, ...zeros, ...back].slice(0, 4);
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

/** An IPv4 address at the end stands for two groups; they are never among the first four. */
function groupsOf(text: string): string[] {
  return text === '' ? [] : text.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]));
}
