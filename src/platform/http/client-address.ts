import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/** An IPv4 address with a port, or an IPv6 address in brackets, which may have one. */
const WITH_PORT = /^\s*(?:\[([\da-f.]*:[\da-f:.]*)\](?::\d{1,5})?|(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5})\s*$/i;

/**
 * Leaves the addresses alone in X-Forwarded-For, where some proxies write ports too. Express takes an element as it
 * stands, so that each connection of a client would be another client.
 */
export function dropForwardedPorts(headers: IncomingHttpHeaders): void {
  const forwarded = headers['x-forwarded-for'];
  // Node joins what is repeated.
  if (typeof forwarded !== 'string') return;
  const addresses = forwarded.split(',').map((element) => {
    const [, v6, v4] = WITH_PORT.exec(element) ?? [];
    return v6 ?? v4 ?? element.trim();
  });
  headers['x-forwarded-for'] = addresses.join(', ');
}

/** As `Exchange.clientAddress` says, of a request whose headers have no ports any more. */
export function clientAddressOf(request: IncomingMessage & { readonly ip?: string }): string | undefined {
  const { headers, socket } = request;
  if (headers['x-forwarded-for'] === undefined) return bareIpv4(socket.remoteAddress);
  const { ip } = request;
  return bareIpv4(ip !== undefined && isIP(ip) > 0 ? ip : socket.remoteAddress);
}

/** A server that listens on `::` sees an IPv4 client as `::ffff:192.0.2.1` (RFC 4291 §2.5.5.2). */
function bareIpv4(address: string | undefined): string | undefined {
  return address?.toLowerCase().startsWith('::ffff:') === true && address.includes('.') ? address.slice(7) : address;
}
