/**
 * Preloaded into a service (NODE_OPTIONS=--require). The name in TEST_HOST_NAME resolves to the address that the file
 * TEST_HOST_FILE holds at that moment, as if a DNS record had changed.
 */
const dns = require('node:dns');
const { readFileSync } = require('node:fs');

const { lookup } = dns;
dns.lookup = (name, options, done) => {
  if (name !== process.env.TEST_HOST_NAME) return lookup(name, options, done);
  const address = readFileSync(process.env.TEST_HOST_FILE, 'utf8').trim();
  const answer = typeof options === 'object' && options.all === true ? [[{ address, family: 4 }]] : [address, 4];
  process.nextTick(() => done(null, ...answer));
};
