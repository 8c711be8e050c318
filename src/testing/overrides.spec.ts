import { afterEach, describe, expect, it } from '@jest/globals';
import { Controller, Get, Injectable, Module } from '@nestjs/common';
import request from 'supertest';
import { Clock, defineFeature, RequireScope } from '../index.js';
import { FixedClock, startTestApplication, type TestApplication } from './index.js';

@Injectable()
class Weather {
  today(): string {
    return 'rain';
  }
}

@Injectable()
class Sunshine {
  today(): string {
    return 'sun';
  }
}

@Controller('weather')
class WeatherController {
  constructor(
    private readonly weather: Weather,
    private readonly clock: Clock,
  ) {}

  @Get()
  @RequireScope('weather:read')
  getWeather(): object {
    return { today: this.weather.today(), day: new Date(this.clock.now()).toISOString().slice(0, 10) };
  }
}

@Module({ controllers: [WeatherController], providers: [Weather] })
class WeatherModule {}

const scopes = { 'weather:read': 'See the weather' };
const weather = defineFeature({ name: 'weather', platform: '^1.0.0', module: WeatherModule, scopes });

let application: TestApplication;

afterEach(() => application.stop());

const answerOf = () =>
  request(application.getHttpServer()).get('/v1/weather').set('Authorization', `Bearer ${application.key}`);

describe('a test of a feature', () => {
  it('puts another provider, value or class, in place of one of the feature or the platform', async () => {
    application = await startTestApplication({
      features: [weather],
      overrides: [
        { provide: Weather, useClass: Sunshine },
        { provide: Clock, useValue: new FixedClock('2031-01-02T03:04:05Z') },
      ],
    });
    await answerOf().expect(200, { today: 'sun', day: '2031-01-02' });
    await request(application.getHttpServer()).get('/v1/weather').expect(401);
    await request(application.getHttpServer())
      .get('/v1/none')
      .expect(404, /"route_not_found"/);
  });

  it('has the feature as it is, where it overrides nothing', async () => {
    application = await startTestApplication({ features: [weather] });
    expect((await answerOf()).body).toMatchObject({ today: 'rain' });
  });
});
