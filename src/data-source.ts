import { featureDataSource } from './application.js';
import { features } from './features.js';

/** What `npm run migration:generate` compares with the database. */
export default featureDataSource(features);
