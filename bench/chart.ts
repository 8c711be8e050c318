import { CONNECTIONS } from './load.ts';
import type { Samples } from './rounds.ts';
import { scenarios } from './scenarios.ts';
import { programs } from './services.ts';
import { spreadOf } from './statistics.ts';

const WIDTH = 760;
const LEFT = 190;
const BAR = 15;
const GAP = 26;
const ROOM_FOR_FIGURES = 70;

/** Requests per second of each service, as bars with their figures, readable on light and on dark ground. */
export function chart(samples: Samples): string {
  const groups = scenarios.map(({ name, title }) => ({
    title,
    bars: programs.map((program) => ({
      ...program,
      perSecond: spreadOf((samples[name]?.[program.name] ?? []).map(({ perSecond }) => perSecond)).median,
    })),
  }));
  const most = Math.max(...groups.flatMap(({ bars }) => bars.map(({ perSecond }) => perSecond)));
  const scale = (WIDTH - LEFT - ROOM_FOR_FIGURES) / most;
  const lines: string[] = [];
  let y = 34;
  for (const { title, bars } of groups) {
    lines.push(`<text class="head" x="12" y="${String(y + 12)}">${title}</text>`);
    y += BAR + 4;
    for (const { name, title: service, perSecond } of bars) {
      const width = (perSecond * scale).toFixed(1);
      const end = (LEFT + perSecond * scale + 6).toFixed(1);
      const kind = name === 'animal-store' ? 'ours' : 'peer';
      lines.push(
        `<text x="${String(LEFT - 8)}" y="${String(y + 11)}" text-anchor="end">${service}</text>`,
        `<rect class="${kind}" x="${String(LEFT)}" y="${String(y)}" width="${width}" height="${String(BAR - 3)}"/>`,
        `<text x="${end}" y="${String(y + 11)}">${Math.round(perSecond).toLocaleString('en-US')}</text>`,
      );
      y += BAR;
    }
    y += GAP - BAR;
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${String(WIDTH)} ${String(y + 4)}" role="img" aria-labelledby="title">
<title id="title">Requests per second by request and service</title>
<style>
  text { font: 12px system-ui, sans-serif; fill: #24292f; }
  .head { font-weight: 600; }
  .ours { fill: #0969da; }
  .peer { fill: #8c959f; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .ours { fill: #4493f8; }
    .peer { fill: #6e7681; }
  }
</style>
<text class="head" x="12" y="20">Requests per second, ${String(CONNECTIONS)} connections</text>
${lines.join('\n')}
</svg>
`;
}
