import { currentExchange } from '../http/index.js';
import { declareRoute } from '../routing/index.js';

type Handler = (this: unknown, ...inputs: unknown[]) => unknown;

/**
 * Lets clients repeat a POST safely with `Idempotency-Key`: the handler runs in one transaction with the record of its
 * answer, and a repeat within 24 hours gets that answer with `Idempotent-Replayed: true`.
 *
 * It wraps the handler. An interceptor of Nest would do the same, but every request without the header would pass it too.
 */
export const Idempotent = (): MethodDecorator => (target, name, descriptor: PropertyDescriptor) => {
  const handle = descriptor.value as Handler;
  descriptor.value = function (this: unknown, ...inputs: unknown[]): unknown {
    const exchange = currentExchange();
    const once = exchange?.once;
    if (exchange === undefined || once === undefined) return handle.apply(this, inputs);
    // What the handler may call is none of the client's requests.
    exchange.once = undefined;
    return once(() => handle.apply(this, inputs));
  } satisfies Handler;
  takeOver(handle, descriptor.value as Handler);
  declareRoute({ idempotent: true })(target, name, descriptor);
};

/** What the decorators below have left on a handler. */
function takeOver(handle: Handler, wrapper: Handler): void {
  Object.defineProperty(wrapper, 'name', { value: handle.name });
  for (const key of Reflect.getOwnMetadataKeys(handle)) {
    Reflect.defineMetadata(key, Reflect.getOwnMetadata(key, handle), wrapper);
  }
}
