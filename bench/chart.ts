import type { Samples } from './rounds.ts';
import { CONNECTIONS, scenarios } from './scenarios.ts';
import { programs } from './services.ts';
import { spreadOf } from './statistics.ts';

const WIDTH = 760;
const LEFT = 190;
const BAR = 15;
const GAP = 26;
const ROOM_FOR_FIGURES = 70;

/** The number of connections that the bars show. */
const BARS_AT = 32;

/** Bars of each service's requests per second, with their values, readable on light and dark backgrounds. */
export function throughputChart(samples: Samples): string {
  const groups = scenarios
    .filter(({ connections }) => connections.includes(BARS_AT))
    .map(({ name, title }) => ({
      title,
      bars: programs.map((program) => ({
        ...program,
        perSecond: spreadOf(
          (samples[`${name}@${String(BARS_AT)}`]?.[program.name] ?? []).map(({ perSecond }) => perSecond),
        ).median,
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
<text class="head" x="12" y="20">Requests per second, ${String(BARS_AT)} connections</text>
${lines.join('\n')}
</svg>
`;
}

const PANEL = { width: 310, height: 190, left: 46, top: 82, gap: 14 } as const;

/** The p99 latency by number of connections, one panel per request. Both axes are logarithmic. */
export function latencyChart(samples: Samples): string {
  const chosen = scenarios.filter(({ connections }) => connections.length === CONNECTIONS.length);
  const p99Of = (scenario: string, connections: number, service: string): number | undefined => {
    const taken = samples[`${scenario}@${String(connections)}`]?.[service];
    return taken && spreadOf(taken.map(({ p99Ms }) => p99Ms)).median;
  };
  const all = chosen.flatMap(({ name }) =>
    CONNECTIONS.flatMap((number) => programs.flatMap((program) => p99Of(name, number, program.name) ?? [])),
  );
  const [low, high] = [Math.log(Math.min(...all)), Math.log(Math.max(...all))];
  const y = (ms: number): number => PANEL.top + PANEL.height * (1 - (Math.log(ms) - low) / (high - low));
  const x = (panel: number, at: number): number =>
    PANEL.left + (panel % 2) * (PANEL.width + PANEL.left + PANEL.gap) + (PANEL.width / (CONNECTIONS.length - 1)) * at;
  const down = (panel: number): number => Math.floor(panel / 2) * (PANEL.height + 60);
  const lines = chosen.flatMap(({ name, title }, panel) => [
    `<text class="head" x="${String(x(panel, 0))}" y="${String(PANEL.top + down(panel) - 12)}">${title}</text>`,
    ...CONNECTIONS.map(
      (number, at) =>
        `<text x="${x(panel, at).toFixed(1)}" y="${String(PANEL.top + down(panel) + PANEL.height + 18)}" text-anchor="middle">${String(number)}</text>`,
    ),
    ...[low, high].map(
      (bound) =>
        `<text x="${String(x(panel, 0) - 6)}" y="${(y(Math.exp(bound)) + down(panel) + 4).toFixed(1)}" text-anchor="end">${Math.exp(bound).toFixed(1)}</text>`,
    ),
    ...programs.map((program, index) => {
      const points = CONNECTIONS.flatMap((number, at) => {
        const ms = p99Of(name, number, program.name);
        return ms === undefined ? [] : [`${x(panel, at).toFixed(1)},${(y(ms) + down(panel)).toFixed(1)}`];
      });
      return `<polyline class="service s${String(index)}" points="${points.join(' ')}"/>`;
    }),
  ]);
  const legend = programs.map(
    ({ title }, index) =>
      `<text class="s${String(index)}" x="${String(12 + index * 122)}" y="38">${title.replace(/ \+.*/, '')}</text>`,
  );
  const height = PANEL.top + down(chosen.length - 1) + PANEL.height + 34;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${String(WIDTH)} ${String(height)}" role="img" aria-labelledby="title">
<title id="title">p99 in milliseconds by connections, request and service</title>
<style>
  text { font: 12px system-ui, sans-serif; fill: #24292f; }
  .head { font-weight: 600; }
  .service { fill: none; stroke-width: 2; }
  @media (prefers-color-scheme: dark) { text { fill: #e6edf3; } }
${COLOURS.map((colour, index) => `  polyline.s${String(index)} { stroke: ${colour}; } text.s${String(index)} { fill: ${colour}; font-weight: 600; }`).join('\n')}
</style>
<text class="head" x="12" y="18">p99 in ms, by connections</text>
${[...legend, ...lines].join('\n')}
</svg>
`;
}

/** One colour per service, in the order of `programs`, readable on light and dark backgrounds. */
const COLOURS = ['#0969da', '#cf222e', '#8250df', '#6e7781', '#1a7f37', '#bc4c00'];
