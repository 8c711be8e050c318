import { Controller, Get, Injectable, Module, UseGuards, type CanActivate } from '@nestjs/common';
import {
  ClientContext,
  CurrentClient,
  PolicyFor,
  Public,
  type Client,
  type ObjectPolicy,
  type Pet,
} from 'animal-store';

/** Reads the client outside of any handler. */
@Injectable()
class VisitorsService {
  constructor(private readonly context: ClientContext) {}

  async describe() {
    await Promise.resolve();
    const { client } = this.context;
    return { name: client?.name, keyId: client?.keyId, scopes: client?.scopes, mayRead: this.context.may('pets:read') };
  }
}

@Injectable()
class ReadersGuard implements CanActivate {
  constructor(private readonly context: ClientContext) {}

  canActivate(): boolean {
    return this.context.may('pets:write');
  }
}

@Controller('visitors')
class VisitorsController {
  constructor(private readonly visitors: VisitorsService) {}

  @Get('me')
  async me(@CurrentClient() client: Client) {
    const { name, keyId, scopes } = client;
    return { handler: { name, keyId, scopes }, service: await this.visitors.describe() };
  }

  @Get('writers')
  @UseGuards(ReadersGuard)
  writers() {
    return { welcome: true };
  }

  @Get('anybody')
  @Public()
  async anybody(@CurrentClient() client: Client | undefined) {
    return { known: client !== undefined, service: await this.visitors.describe() };
  }
}

/** Only clients that may write can see pets that are called shy. */
@Injectable()
@PolicyFor('pet')
class ShyPets implements ObjectPolicy<Pet> {
  allows({ name }: Pet, client: Client | undefined): boolean {
    return name !== 'shy' || client?.scopes.includes('pets:write') === true;
  }
}

@Module({ controllers: [VisitorsController], providers: [VisitorsService, ShyPets] })
export class VisitorsModule {}
