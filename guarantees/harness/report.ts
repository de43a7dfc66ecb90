/** The figures of one run: each printed as it is measured, and all of them as a table at the end. */
export interface Report {
  print(text: string): void;
  /** `goal` is `-` for a figure that is only shown. */
  figure(name: string, goal: string, measured: string, holds: boolean): void;
  /** Prints the table. Returns whether every figure reached its goal. */
  finish(): boolean;
}

export function createReport(): Report {
  const figures: { name: string; goal: string; measured: string; holds: boolean }[] = [];
  const print = (text: string) => console.log(text);
  return {
    print,
    figure(name, goal, measured, holds) {
      figures.push({ name, goal, measured, holds });
      print(`  ${name}: ${measured}`);
    },
    finish() {
      print('');
      const width = Math.max(...figures.map(({ name }) => name.length));
      for (const { name, goal, measured, holds } of figures)
        print(`${holds ? '✓' : '✗'} ${name.padEnd(width)}  ${measured}  (${goal})`);
      return figures.every(({ holds }) => holds);
    },
  };
}
