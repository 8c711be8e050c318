import { ConflictException, ForbiddenException, Injectable, NotFoundException } from '@nestjs/common';
import { EventEmitter2 } from '@nestjs/event-emitter';
import { InjectDataSource, InjectRepository } from '@nestjs/typeorm';
import { Brackets, DataSource, Repository, type SelectQueryBuilder } from 'typeorm';
import { ProfilesService } from '../profiles/profiles.service.js';
import { TagsService } from '../tags/tags.service.js';
import type { User } from '../users/user.entity.js';
import { Article, ArticleStatus } from './article.entity.js';
import { viewOf, type ArticleView } from './article.view.js';
import type { CreateArticleDto } from './dto/create-article.dto.js';
import type { ListArticlesDto, PageDto } from './dto/list-articles.dto.js';
import type { UpdateArticleDto } from './dto/update-article.dto.js';
import { slugOf } from './slug.js';

export interface ArticlePage {
  readonly articles: ArticleView[];
  readonly articlesCount: number;
}

@Injectable()
export class ArticlesService {
  constructor(
    @InjectRepository(Article) private readonly articles: Repository<Article>,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly profiles: ProfilesService,
    private readonly tags: TagsService,
    private readonly events: EventEmitter2,
  ) {}

  async findAll({ tag, author, favourited, ...page }: ListArticlesDto, viewerId?: number): Promise<ArticlePage> {
    const query = this.visible(viewerId);
    if (tag !== undefined) {
      query.andWhere((articles) => {
        const tagged = articles
          .subQuery()
          .select('tagged.id')
          .from(Article, 'tagged')
          .innerJoin('tagged.tags', 'wanted')
          .where('wanted.name = :tag')
          .getQuery();
        return `article.id IN ${tagged}`;
      });
      query.setParameter('tag', tag);
    }
    if (author !== undefined) query.andWhere('author.username = :author', { author });
    if (favourited !== undefined) {
      query.innerJoin('article.favouritedBy', 'fan', 'fan.username = :favourited', { favourited });
    }
    return this.pageOf(query, page, viewerId);
  }

  async feed(page: PageDto, viewerId: number): Promise<ArticlePage> {
    const followed = await this.profiles.followedBy(viewerId);
    if (followed.length === 0) return { articles: [], articlesCount: 0 };
    const query = this.visible(viewerId).andWhere('author.id IN (:...followed)', { followed });
    return this.pageOf(query, page, viewerId);
  }

  async findOne(slug: string, viewerId?: number): Promise<ArticleView> {
    return this.view(await this.require(slug, viewerId), viewerId);
  }

  /** @throws {NotFoundException} if there is no such article, or if it is another author's draft. */
  async require(slug: string, viewerId?: number): Promise<Article> {
    const article = await this.articles.findOne({ where: { slug }, relations: { author: true, tags: true } });
    if (!article || (article.status === ArticleStatus.Draft && article.author.id !== viewerId)) {
      throw new NotFoundException(`Article ${slug} not found`);
    }
    return article;
  }

  async create({ tagList = [], ...fields }: CreateArticleDto, authorId: number): Promise<ArticleView> {
    const slug = slugOf(fields.title);
    const article = await this.dataSource.transaction(async (manager) => {
      const articles = manager.getRepository(Article);
      if (await articles.existsBy({ slug })) throw new ConflictException('An article of this title is there');
      const tags = await this.tags.named(tagList, manager);
      return articles.save(articles.create({ ...fields, slug, tags, author: { id: authorId } as User }));
    });
    const made = await this.require(article.slug, authorId);
    this.events.emit('article.published', made);
    return this.view(made, authorId);
  }

  async update(slug: string, { tagList, ...changes }: UpdateArticleDto, viewerId: number): Promise<ArticleView> {
    const article = await this.requireOwn(slug, viewerId);
    await this.dataSource.transaction(async (manager) => {
      Object.assign(article, changes);
      if (changes.title !== undefined) article.slug = slugOf(changes.title);
      if (tagList !== undefined) article.tags = await this.tags.named(tagList, manager);
      await manager.save(article);
    });
    return this.findOne(article.slug, viewerId);
  }

  async remove(slug: string, viewerId: number): Promise<void> {
    await this.articles.remove(await this.requireOwn(slug, viewerId));
  }

  async setFavourite(slug: string, viewerId: number, isFavourite: boolean): Promise<ArticleView> {
    const article = await this.require(slug, viewerId);
    const has = await this.isFavourite(article.id, viewerId);
    if (has !== isFavourite) {
      await this.dataSource.transaction(async (manager) => {
        const favourites = manager.createQueryBuilder().relation(Article, 'favouritedBy').of(article);
        await (isFavourite ? favourites.add(viewerId) : favourites.remove(viewerId));
        const count = manager.getRepository(Article);
        await (isFavourite
          ? count.increment({ id: article.id }, 'favouritesCount', 1)
          : count.decrement({ id: article.id }, 'favouritesCount', 1));
      });
    }
    return this.findOne(slug, viewerId);
  }

  private async requireOwn(slug: string, viewerId: number): Promise<Article> {
    const article = await this.require(slug, viewerId);
    if (article.author.id !== viewerId) throw new ForbiddenException('Only its author may change an article');
    return article;
  }

  private visible(viewerId = 0): SelectQueryBuilder<Article> {
    return this.articles
      .createQueryBuilder('article')
      .innerJoinAndSelect('article.author', 'author')
      .leftJoinAndSelect('article.tags', 'tag')
      .where(
        new Brackets((either) => {
          either.where('article.status = :status', { status: ArticleStatus.Published });
          either.orWhere('author.id = :viewerId', { viewerId });
        }),
      );
  }

  private async pageOf(
    query: SelectQueryBuilder<Article>,
    { limit, offset }: PageDto,
    viewerId?: number,
  ): Promise<ArticlePage> {
    const [articles, articlesCount] = await query
      .orderBy('article.id', 'DESC')
      .skip(offset)
      .take(limit)
      .getManyAndCount();
    return { articles: await Promise.all(articles.map((article) => this.view(article, viewerId))), articlesCount };
  }

  private async view(article: Article, viewerId?: number): Promise<ArticleView> {
    const author = await this.profiles.profileOf(article.author, viewerId);
    return viewOf(article, author, viewerId !== undefined && (await this.isFavourite(article.id, viewerId)));
  }

  private isFavourite(id: number, viewerId: number): Promise<boolean> {
    return this.articles.existsBy({ id, favouritedBy: { id: viewerId } });
  }
}
