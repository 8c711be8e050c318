import { Controller, Get, Module } from '@nestjs/common';
import { defineFeature, FeatureMetrics, type Counter } from 'animal-store';

/** The feature's own metrics: some are counted by handlers, some fail when they are collected. */
@Controller('tea-house')
class TeaHouseController {
  private readonly cups: Counter<'kind'>;

  constructor(metrics: FeatureMetrics) {
    this.cups = metrics.counter({ name: 'tea_house_cups_total', help: 'Cups served.', labelNames: ['kind'] });
    metrics.histogram({ name: 'tea_house_wait_seconds', help: 'Time to a cup.', buckets: [60] }).observe(30);
    metrics.gauge({
      name: 'tea_house_seats',
      help: 'Seats that are free.',
      async collect() {
        await Promise.resolve();
        this.set(7);
      },
    });
    metrics.gauge({
      name: 'tea_house_throws',
      help: 'Cannot be collected.',
      collect() {
        throw new Error('No tea');
      },
    });
    metrics.gauge({ name: 'tea_house_rejects', help: 'Rejects.', collect: () => Promise.reject(new Error('No milk')) });
    metrics.gauge({ name: 'tea_house_hangs', help: 'Never ends.', collect: () => new Promise(() => undefined) });
  }

  @Get('cup')
  serveCup(): object {
    this.cups.inc({ kind: 'green' });
    return {};
  }
}

@Module({ controllers: [TeaHouseController] })
class TeaHouseModule {}

export const teaHouse = defineFeature({ name: 'tea-house', platform: '^1.0.0', module: TeaHouseModule });
