import {
  Controller,
  Delete,
  Get,
  Global,
  Head,
  Module,
  Param,
  Patch,
  Post,
  Put,
  type DynamicModule,
} from '@nestjs/common';
import { defineFeature, Public } from 'animal-store';

/** A controller of a team that knows nothing of keys: it uses one decorator of the platform. */
@Controller('shelves')
class ShelvesController {
  @Get()
  listShelves(): object[] {
    return [];
  }

  @Post()
  addShelf(): object {
    return {};
  }

  @Get('open')
  @Public()
  openShelf(): object {
    return { open: true };
  }

  @Get(':shelfId')
  getShelf(@Param('shelfId') shelfId: string): object {
    return { shelfId };
  }

  @Put(':shelfId')
  replaceShelf(): void {}

  @Patch(':shelfId')
  changeShelf(): void {}

  @Delete(':shelfId')
  removeShelf(): void {}

  @Head('weight')
  weighShelf(): void {}
}

@Controller('shelves/:shelfId/boxes')
class BoxesController {
  @Get()
  listBoxes(): object[] {
    return [];
  }
}

@Module({ controllers: [BoxesController] })
class BoxesModule {}

@Controller('labels')
class LabelsController {
  @Get()
  listLabels(): object[] {
    return [];
  }
}

/** Global, so that Nest offers it to every module. */
@Global()
@Module({ controllers: [LabelsController] })
class LabelsModule {}

@Controller('ladders')
class LaddersController {
  @Get()
  listLadders(): object[] {
    return [];
  }
}

@Module({})
class LaddersModule {
  static register(): DynamicModule {
    return { module: LaddersModule, controllers: [LaddersController] };
  }
}

@Module({ imports: [BoxesModule, LabelsModule, LaddersModule.register()], controllers: [ShelvesController] })
class ShelvesModule {}

export const shelves = defineFeature({ name: 'shelves', platform: '^1.0.0', module: ShelvesModule });
