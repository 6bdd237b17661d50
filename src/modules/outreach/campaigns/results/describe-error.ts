/** Returns the message of a stored error, or an empty text. */
export const describeError = (error: string | null): string =>
  error === null ? '' : ((JSON.parse(error) as { message?: string }).message ?? '')
