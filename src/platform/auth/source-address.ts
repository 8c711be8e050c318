import { isIPv6 } from 'node:net';

/**
 * Who guesses from an address: the address itself for IPv4; the /64 of IPv6, all of which one host may use at will
 * (RFC 4291 §2.5.1), so that counting single addresses would count nothing.
 *
 * @param address as a socket or X-Forwarded-For has it. What is no IPv6 address is returned as it is.
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
