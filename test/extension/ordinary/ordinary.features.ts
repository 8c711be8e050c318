import { defineFeature } from 'animal-store';
import { BooksModule } from './modules/books.module.js';
import { FleetModule } from './modules/fleet.module.js';
import { PrintsModule } from './modules/prints.module.js';
import { ShelvesModule } from './modules/shelves.module.js';
import { VisitorsModule } from './modules/visitors.module.js';
import { WeatherModule } from './modules/weather.module.js';

const platform = '^1.0.0';

export const books = defineFeature({ name: 'books', platform, module: BooksModule });
export const fleet = defineFeature({ name: 'fleet', platform, module: FleetModule });
export const prints = defineFeature({ name: 'prints', platform, module: PrintsModule });
export const shelves = defineFeature({ name: 'shelves', platform, module: ShelvesModule });
export const visitors = defineFeature({ name: 'visitors', platform, module: VisitorsModule });
export const weather = defineFeature({ name: 'weather', platform, module: WeatherModule });
