export { databaseAnswers, Health, type HealthContribution } from './health.js';
export { HealthModule } from './health.module.js';
export { Liveness, ManagementServer } from './management.server.js';
