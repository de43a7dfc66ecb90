/** Removes a map's oldest entries until it has at most this many. */
export function limitSize<K>(map: Map<K, unknown>, most: number): void {
  for (const first of map.keys()) {
    if (map.size <= most) return;
    map.delete(first);
  }
}
