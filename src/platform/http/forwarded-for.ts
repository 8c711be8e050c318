import type { IncomingHttpHeaders } from 'node:http';

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
