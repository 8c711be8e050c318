export { orders } from './orders.feature.js';
