name = 'café'
