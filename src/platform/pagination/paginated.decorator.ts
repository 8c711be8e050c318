import { declareRoute } from '../routing/index.js';

/** Marks a list that answers a `Page`: a bare array, with `Link: …; rel="next"` while there is more. */
export const Paginated = (): MethodDecorator => declareRoute({ paginated: true });
