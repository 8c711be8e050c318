import { featureDataSource } from './application.js';
import { features } from './features.js';

/** `npm run migration:generate` compares the entities of this data source with the database. */
export default featureDataSource(features);
