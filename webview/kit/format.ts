import { locale } from './l10n.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Building an Intl formatter costs more than a row; one per kind and locale is enough. */
const formatters = new Map<string, unknown>();

function cached<T>(kind: string, make: (tag: string) => T): T {
  const id = `${kind} ${locale()}`;
  let formatter = formatters.get(id) as T | undefined;
  if (formatter === undefined) {
    formatter = make(locale());
    formatters.set(id, formatter);
  }
  return formatter;
}

/** Distance to now in the fewest characters, for columns: "3d ago". */
export function shortAge(time: number, now = Date.now()): string {
  return relative('narrow', time, now);
}

/** Distance to now in words, for screen readers: "3 days ago". */
export function age(time: number, now = Date.now()): string {
  return relative('long', time, now);
}

function relative(style: 'narrow' | 'long', time: number, now: number): string {
  const distance = time - now;
  const size = Math.abs(distance);
  if (size < MINUTE) {
    return cached('now', (tag) => new Intl.RelativeTimeFormat(tag, { numeric: 'auto' })).format(0, 'second');
  }
  const format = cached(style, (tag) => new Intl.RelativeTimeFormat(tag, { style }));
  if (size < HOUR) return format.format(Math.trunc(distance / MINUTE), 'minute');
  if (size < DAY) return format.format(Math.trunc(distance / HOUR), 'hour');
  if (size < 30 * DAY) return format.format(Math.trunc(distance / DAY), 'day');
  if (size < 365 * DAY) return format.format(Math.trunc(distance / (30 * DAY)), 'month');
  return format.format(Math.trunc(distance / (365 * DAY)), 'year');
}

/** Date and time, such as "Mar 3, 2026, 2:05 PM". */
export function dateTime(time: number): string {
  const options = { dateStyle: 'medium', timeStyle: 'short' } as const;
  return cached('dateTime', (tag) => new Intl.DateTimeFormat(tag, options)).format(time);
}

/** A moment of today, such as "2:05:10 PM". */
export function timeOfDay(time: number): string {
  return cached('time', (tag) => new Intl.DateTimeFormat(tag, { timeStyle: 'medium' })).format(time);
}

/** A part of one, such as "87%". */
export function percent(part: number): string {
  return cached('percent', (tag) => new Intl.NumberFormat(tag, { style: 'percent' })).format(part);
}

/** A whole number with separators. */
export function count(value: number): string {
  return cached('count', (tag) => new Intl.NumberFormat(tag)).format(value);
}

/** A whole number in few characters, such as "48K". */
export function compact(value: number): string {
  const options = { notation: 'compact', maximumFractionDigits: 1 } as const;
  return cached('compact', (tag) => new Intl.NumberFormat(tag, options)).format(value);
}

/** A length of time, given in milliseconds, in its one or two largest units, such as "3m 5s". */
export function duration(time: number): string {
  const seconds = Math.max(0, Math.floor(time / 1000));
  const unit = (name: 'hour' | 'minute' | 'second', value: number) => {
    const options = { style: 'unit', unit: name, unitDisplay: 'narrow' } as const;
    return cached(name, (tag) => new Intl.NumberFormat(tag, options)).format(value);
  };
  if (seconds < 60) return unit('second', seconds);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${unit('minute', minutes)} ${unit('second', seconds % 60)}`;
  return `${unit('hour', Math.floor(minutes / 60))} ${unit('minute', minutes % 60)}`;
}
