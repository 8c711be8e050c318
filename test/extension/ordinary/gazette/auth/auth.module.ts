import { Module } from '@nestjs/common';
import { ConfigModule, type ConfigType } from '@nestjs/config';
import { JwtModule } from '@nestjs/jwt';
import { gazetteConfig } from '../gazette.config.js';
import { TokensService } from './tokens.service.js';

@Module({
  imports: [
    JwtModule.registerAsync({
      imports: [ConfigModule.forFeature(gazetteConfig)],
      inject: [gazetteConfig.KEY],
      useFactory: ({ secret, sessionSeconds }: ConfigType<typeof gazetteConfig>) => ({
        secret,
        signOptions: { expiresIn: sessionSeconds },
      }),
    }),
  ],
  providers: [TokensService],
  exports: [TokensService],
})
export class AuthModule {}
