import { Idempotent } from 'animal-store';
import type { Type } from '@nestjs/common';
import { ArticlesController } from './articles/articles.controller.js';
import { CommentsController } from './comments/comments.controller.js';
import { FavouritesController } from './favourites/favourites.controller.js';
import { ProfilesController } from './profiles/profiles.controller.js';
import { UsersController } from './users/users.controller.js';

const HANDLERS: readonly (readonly [controller: Type, handler: string])[] = [
  [ArticlesController, 'create'],
  [CommentsController, 'create'],
  [FavouritesController, 'create'],
  [ProfilesController, 'follow'],
  [UsersController, 'register'],
];

// A team would write the decorator above each handler. Here the application's files stay unchanged.
for (const [{ prototype }, handler] of HANDLERS) {
  const descriptor = Object.getOwnPropertyDescriptor(prototype, handler);
  if (descriptor === undefined) throw new Error(`There is no handler ${handler}`);
  Idempotent()(prototype as object, handler, descriptor);
}
