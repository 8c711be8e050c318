export { databaseAnswers, Health, type HealthContribution } from './health.js';
export { Liveness, ManagementServer } from './management.server.js';
