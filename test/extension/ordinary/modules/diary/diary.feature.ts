import { defineFeature } from 'animal-store';
import { DiaryModule } from './diary.module.js';

export const diary = defineFeature({ name: 'diary', platform: '^1.0.0', module: DiaryModule });
