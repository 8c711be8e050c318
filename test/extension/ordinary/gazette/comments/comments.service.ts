import { ForbiddenException, Injectable, NotFoundException } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { ArticlesService } from '../articles/articles.service.js';
import { ProfilesService } from '../profiles/profiles.service.js';
import type { User } from '../users/user.entity.js';
import { Comment } from './comment.entity.js';
import type { CommentParams } from './dto/comment-params.dto.js';
import type { CreateCommentDto } from './dto/create-comment.dto.js';

@Injectable()
export class CommentsService {
  constructor(
    @InjectRepository(Comment) private readonly comments: Repository<Comment>,
    private readonly articles: ArticlesService,
    private readonly profiles: ProfilesService,
  ) {}

  async findAll(slug: string, viewerId?: number) {
    const article = await this.articles.require(slug, viewerId);
    const comments = await this.comments.find({ where: { article: { id: article.id } }, order: { id: 'DESC' } });
    return Promise.all(comments.map((comment) => this.view(comment, viewerId)));
  }

  async create(slug: string, { body }: CreateCommentDto, authorId: number) {
    const article = await this.articles.require(slug, authorId);
    const { id } = await this.comments.save({ body, article: { id: article.id }, author: { id: authorId } as User });
    return this.view(await this.comments.findOneByOrFail({ id }), authorId);
  }

  async remove({ slug, id }: CommentParams, viewerId: number): Promise<void> {
    const comment = await this.comments.findOneBy({ id, article: { slug } });
    if (!comment) throw new NotFoundException(`Comment ${id} not found`);
    if (comment.author.id !== viewerId) throw new ForbiddenException('Only its author may remove a comment');
    await this.comments.softRemove(comment);
  }

  private async view({ id, body, createdAt, author }: Comment, viewerId?: number) {
    return { id, body, createdAt, author: await this.profiles.profileOf(author, viewerId) };
  }
}
