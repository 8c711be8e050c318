/** `Whales, and how to feed them` → `whales-and-how-to-feed-them` */
export function slugOf(title: string): string {
  const words = title
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  return words?.join('-') ?? 'article';
}
