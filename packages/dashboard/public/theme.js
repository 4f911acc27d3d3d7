// Runs before the first paint, so that a dark page does not flash white. A file, because the policy forbids inline scripts.
document.documentElement.dataset.theme = localStorage.getItem('theme') ?? 'system';
