import { PartialType } from '@nestjs/swagger';
import { CreateArticleDto } from './create-article.dto.js';

export class UpdateArticleDto extends PartialType(CreateArticleDto) {}
