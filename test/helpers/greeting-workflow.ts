/** The least that a workflow can be. */
export const greet = (name: string): Promise<string> => Promise.resolve(`Hello, ${name}`);
