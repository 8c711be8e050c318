import { IsEmail, IsString, Length, Matches } from 'class-validator';

export class RegisterDto {
  @IsEmail()
  email: string;

  @IsString()
  @Matches(/^[a-z0-9_]{3,20}$/, { message: 'username may have 3 to 20 small letters, digits and _' })
  username: string;

  @IsString()
  @Length(8, 72)
  password: string;
}
