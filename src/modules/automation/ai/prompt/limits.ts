/** Characters of knowledge in one prompt (`automation` 6.1). */
export const MAX_KNOWLEDGE = 12_000
