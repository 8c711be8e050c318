import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Slice } from '../pagination/index.js';
import { ClientContext, type Client } from './access.decorators.js';

/** Decides on single objects, beyond what scopes say: which of a feature's objects a client sees. */
export interface ObjectPolicy<T extends object = object> {
  /**
   * Whether the client may see this object, and so also change it. To who may not, it does not exist.
   *
   * @param client undefined outside of a request, and for one without a key.
   */
  allows(object: T, client: Client | undefined): boolean | Promise<boolean>;
}

/** Makes a provider the `ObjectPolicy` of what a feature calls so: `@PolicyFor('pet')`. Any feature may have one. */
export const PolicyFor = DiscoveryService.createDecorator<string>();

/** Asks every policy about an object before a client sees it. A feature with objects of its own injects it. */
@Injectable()
export class ObjectPolicies implements OnModuleInit {
  private readonly byKind = new Map<string, ObjectPolicy[]>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly context: ClientContext,
  ) {}

  onModuleInit(): void {
    for (const provider of this.discovery.getProviders({ metadataKey: PolicyFor.KEY })) {
      const kind = this.discovery.getMetadataByDecorator(PolicyFor, provider);
      if (kind === undefined) continue;
      this.byKind.set(kind, [...(this.byKind.get(kind) ?? []), provider.instance as ObjectPolicy]);
    }
  }

  /** The object; undefined where there is none, or where a policy denies it: a client cannot know which. */
  async visible<T extends object>(kind: string, object: T | undefined): Promise<T | undefined> {
    const policies = this.byKind.get(kind);
    if (policies === undefined || object === undefined) return object;
    const { client } = this.context;
    for (const policy of policies) if (!(await policy.allows(object, client))) return undefined;
    return object;
  }

  /** The part of a page that is allowed. The next page begins behind all of it. */
  async visibleOf<T extends object>(kind: string, slice: Slice<T>): Promise<Slice<T>> {
    if (!this.byKind.has(kind)) return slice;
    const seen = await Promise.all(slice.items.map((item) => this.visible(kind, item)));
    const last = slice.last ?? slice.items.at(-1);
    return { items: seen.filter((item) => item !== undefined), more: slice.more, ...(last && { last }) };
  }
}
