import { Controller, Headers, Module, Sse, type MessageEvent } from '@nestjs/common';
import { defineFeature, Public, RequireScope } from 'animal-store';
import { map, of, type Observable } from 'rxjs';

/** Two events. Then the stream ends, and the client asks for the events after the last one. */
const eventsAfter = (last: string | undefined): Observable<MessageEvent> => {
  const from = Number(last ?? 0);
  return of(1, 2).pipe(map((n) => ({ type: 'tick', id: String(from + n), data: { n: from + n }, retry: 10 })));
};

@Controller('ticks')
class TicksController {
  @Sse('open')
  @Public()
  open(@Headers('last-event-id') last?: string): Observable<MessageEvent> {
    return eventsAfter(last);
  }

  @Sse('closed')
  @RequireScope('ticker:read')
  closed(): Observable<MessageEvent> {
    return eventsAfter('6');
  }
}

@Module({ controllers: [TicksController] })
class TickerModule {}

export const ticker = defineFeature({
  name: 'ticker',
  platform: '^1.0.0',
  module: TickerModule,
  scopes: { 'ticker:read': 'Read what ticks' },
});
