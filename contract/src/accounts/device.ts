const browsers: readonly [RegExp, string][] = [
  [/Edg(e|A|iOS)?\//, 'Edge'],
  [/OPR\/|Opera/, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\/|Chromium\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];
const systems: readonly [RegExp, string][] = [
  [/iPhone|iPod/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
];

/** 'Chrome on Linux', from a user agent. */
export function deviceOf(userAgent: string | null): string {
  const text = userAgent ?? '';
  const found = (names: readonly [RegExp, string][]) => names.find(([sign]) => sign.test(text))?.[1];
  const browser = found(browsers);
  const system = found(systems);
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? system ?? (text.split('/')[0]?.trim().slice(0, 40) || 'Unknown device');
}
