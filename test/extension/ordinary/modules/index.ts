import { BooksModule } from './books.module.js';
import { DiaryModule } from './diary/diary.module.js';
import { FleetModule } from './fleet.module.js';
import { PrintsModule } from './prints.module.js';
import { ShelvesModule } from './shelves.module.js';
import { WeatherModule } from './weather.module.js';

/** The modules of the plain Nest application. */
export const ordinaryModules = [BooksModule, DiaryModule, FleetModule, PrintsModule, ShelvesModule, WeatherModule];
