/** The sentence of a failure as a recipient keeps it. */
export const describeCode = (error: string | null): string =>
  error === null ? '' : ((JSON.parse(error) as { message?: string }).message ?? '')
