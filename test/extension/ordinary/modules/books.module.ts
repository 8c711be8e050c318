import {
  BadGatewayException,
  BadRequestException,
  ConflictException,
  Controller,
  ForbiddenException,
  Get,
  GoneException,
  HttpException,
  HttpStatus,
  ImATeapotException,
  Injectable,
  InternalServerErrorException,
  Module,
  NotFoundException,
  NotImplementedException,
  Param,
  PreconditionFailedException,
  ServiceUnavailableException,
  UnauthorizedException,
  UnprocessableEntityException,
  UseFilters,
  UseGuards,
  Catch,
  type ArgumentsHost,
  type CanActivate,
  type ExceptionFilter,
} from '@nestjs/common';
import type { Response } from 'express';

/** A custom exception, as in Nest's documentation. */
class BookLentException extends HttpException {
  constructor(title: string) {
    super(`${title} is lent until Friday`, HttpStatus.CONFLICT);
  }
}

class OutOfInkError extends Error {}

const failures: Readonly<Record<string, () => unknown>> = {
  conflict: () => new ConflictException('Title taken'),
  unprocessable: () => new UnprocessableEntityException('Pages are upside down'),
  precondition: () => new PreconditionFailedException('Read volume 1 first'),
  payment: () => new HttpException('Pay your fines first', HttpStatus.PAYMENT_REQUIRED),
  lent: () => new BookLentException('Dune'),
  missing: () => new NotFoundException('Book 7 not found'),
  unauthorized: () => new UnauthorizedException('Show your library card'),
  forbidden: () => new ForbiddenException('The archive is closed'),
  gone: () => new GoneException('Sold last year'),
  teapot: () => new ImATeapotException('No coffee among the books'),
  locked: () => new HttpException('In use', 423),
  several: () => new BadRequestException(['title is empty', 'pages is negative']),
  coded: () => new HttpException({ code: 'shelf_full', message: 'No room on this shelf' }, 409),
  miscoded: () => new HttpException({ code: 'Shelf Full!', message: 'No room on this shelf' }, 409),
  wordless: () => new NotFoundException(),
  object: () => new HttpException({ shelf: 7 }, 409),
  internal: () => new InternalServerErrorException('password of the vault: 4711'),
  gateway: () => new BadGatewayException('10.0.0.7 refused'),
  unavailable: () => new ServiceUnavailableException('queue q7 is full'),
  notImplemented: () => new NotImplementedException('secret plan'),
};

@Injectable()
class ClosedGuard implements CanActivate {
  canActivate(): boolean {
    return false;
  }
}

@Catch(OutOfInkError)
class OutOfInkFilter implements ExceptionFilter {
  catch(_error: OutOfInkError, host: ArgumentsHost): void {
    host.switchToHttp().getResponse<Response>().status(507).json({ ink: 0 });
  }
}

@Controller('books')
class BooksController {
  @Get('fails/:how')
  fails(@Param('how') how: string): never {
    throw failures[how]?.();
  }

  @Get('closed')
  @UseGuards(ClosedGuard)
  closed(): string[] {
    return [];
  }

  @Get('printed')
  @UseFilters(OutOfInkFilter)
  printed(): never {
    throw new OutOfInkError('empty');
  }
}

@Module({ controllers: [BooksController] })
export class BooksModule {}
