export { databaseAnswers, Health, type HealthContribution } from './health.js';
export { Liveness } from './liveness.js';
export { ManagementServer } from './management.server.js';
