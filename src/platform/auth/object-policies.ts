import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Slice } from '../pagination.js';
import { ClientContext, type Client } from './access.decorators.js';

/** Decides which objects of a feature a client sees. Scopes decide on operations only. */
export interface ObjectPolicy<T extends object = object> {
  /**
   * Whether the client may see, and so also change, this object. A client that may not see it gets 404.
   *
   * @param client undefined outside a request, and for a request without a key.
   */
  allows(object: T, client: Client | undefined): boolean | Promise<boolean>;
}

/**
 * Registers a provider as an `ObjectPolicy` for objects of this kind: `@PolicyFor('pet')`. Any feature may have
 * policies.
 */
export const PolicyFor = DiscoveryService.createDecorator<string>();

/**
 * Asks every policy about an object before a client sees it. Inject it into the service of a feature that has policies.
 */
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

  /** The object; undefined if it does not exist or a policy denies it. A client cannot tell the two cases apart. */
  async visible<T extends object>(kind: string, object: T | undefined): Promise<T | undefined> {
    const policies = this.byKind.get(kind);
    if (policies === undefined || object === undefined) return object;
    const { client } = this.context;
    for (const policy of policies) if (!(await policy.allows(object, client))) return undefined;
    return object;
  }

  /** The objects of a page that are allowed. The next page begins after the last object of the whole page. */
  async visibleOf<T extends object>(kind: string, slice: Slice<T>): Promise<Slice<T>> {
    if (!this.byKind.has(kind)) return slice;
    const seen = await Promise.all(slice.items.map((item) => this.visible(kind, item)));
    const last = slice.last ?? slice.items.at(-1);
    return { items: seen.filter((item) => item !== undefined), more: slice.more, ...(last && { last }) };
  }
}
