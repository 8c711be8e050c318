export { databaseAnswers, Health, type HealthContribution } from './health.js';
export { ManagementServer } from './management.server.js';
