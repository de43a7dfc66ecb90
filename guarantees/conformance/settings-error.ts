/** A problem of the settings or of a system's file, which the person who runs the program can mend. The message is a sentence. */
export class SettingsError extends Error {}
