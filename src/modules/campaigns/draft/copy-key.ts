/** The ordering key that the jobs filling one copy share. */
export const copyKeyOf = (campaignId: string): string => `campaign-copy:${campaignId}`
