import type { Profile } from '../profiles/profiles.service.js';
import type { Article } from './article.entity.js';

export interface ArticleView {
  readonly slug: string;
  readonly title: string;
  readonly description: string;
  readonly body?: string;
  readonly tagList: string[];
  readonly status: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly favourited: boolean;
  readonly favouritesCount: number;
  readonly author: Profile;
}

export function viewOf(article: Article, author: Profile, favourited: boolean): ArticleView {
  const { slug, title, description, body, tags, status, createdAt, updatedAt, favouritesCount } = article;
  const tagList = tags.map(({ name }) => name).sort();
  return { slug, title, description, body, tagList, status, createdAt, updatedAt, favourited, favouritesCount, author };
}
