/** The ordering key of the jobs that copy recipients to one campaign. */
export const copyKeyOf = (campaignId: string): string => `campaign-copy:${campaignId}`
