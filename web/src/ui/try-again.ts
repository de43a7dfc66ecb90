interface Failed {
  isFetching: boolean;
  refetch: () => Promise<{ isError: boolean }>;
}

/**
 * Repeats a failed query for the user who asks for it. A fetch that is under way at that moment is joined, not started anew, and
 * may fail for the old reason. So another one follows it.
 */
export async function tryAgain({ isFetching, refetch }: Failed): Promise<void> {
  const { isError } = await refetch();
  if (isFetching && isError) await refetch();
}
